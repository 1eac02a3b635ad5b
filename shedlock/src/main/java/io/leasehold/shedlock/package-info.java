/** Leasehold as a lock provider of ShedLock. */
@NullMarked
package io.leasehold.shedlock;

import org.jspecify.annotations.NullMarked;
