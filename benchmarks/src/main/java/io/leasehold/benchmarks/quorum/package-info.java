/** {@code ./bench quorum}: a majority of three Redis servers, and what one of them takes. */
@NullMarked
package io.leasehold.benchmarks.quorum;

import org.jspecify.annotations.NullMarked;
