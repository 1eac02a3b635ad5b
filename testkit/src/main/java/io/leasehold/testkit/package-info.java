/** The contract kit for stores. */
@NullMarked
package io.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
