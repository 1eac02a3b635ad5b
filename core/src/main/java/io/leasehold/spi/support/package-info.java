/**
 * What stores share with the engine: clocks, threads, durations, names, and the reports of grants
 * that a server pushes. For stores; applications need none of it.
 */
@NullMarked
package io.leasehold.spi.support;

import org.jspecify.annotations.NullMarked;
