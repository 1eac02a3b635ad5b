/** Locks as people write them, each shown to fail, and the same scenario on Leasehold. */
@NullMarked
package io.leasehold.gallery;

import org.jspecify.annotations.NullMarked;
