/**
 * What {@code ./bench redis} runs: processes of several lock libraries on one Redis, in turns, and
 * the targets that Leasehold is held to.
 */
@NullMarked
package io.leasehold.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
