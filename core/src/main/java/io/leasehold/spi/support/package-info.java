/**
 * Classes that stores share with the engine: clocks, threads, the log, durations, lock names, and
 * grants that a server reports. For stores; applications do not need them.
 */
@NullMarked
package io.leasehold.spi.support;

import org.jspecify.annotations.NullMarked;
