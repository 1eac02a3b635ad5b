/**
 * What {@code ./bench} runs: scenarios, each a few JMH benchmarks and the targets they are held to.
 */
@NullMarked
package io.leasehold.benchmarks;

import org.jspecify.annotations.NullMarked;
