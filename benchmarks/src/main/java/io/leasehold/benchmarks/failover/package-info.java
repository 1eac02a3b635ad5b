/**
 * What {@code ./bench failover} runs: a replica of Redis is promoted at every step of a grant, and
 * what that does to the lock is counted.
 */
@NullMarked
package io.leasehold.benchmarks.failover;

import org.jspecify.annotations.NullMarked;
