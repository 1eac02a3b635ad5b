/** What {@code ./bench stores} runs: Leasehold on all stores, in turns. */
@NullMarked
package io.leasehold.benchmarks.stores;

import org.jspecify.annotations.NullMarked;
