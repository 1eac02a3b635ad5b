/**
 * Measures processes of several lock libraries on one server, in turns and in rounds, and holds
 * Leasehold to its targets.
 */
@NullMarked
package io.leasehold.benchmarks.runner;

import org.jspecify.annotations.NullMarked;
