/** Meters and observations of locks, for Micrometer. */
@NullMarked
package io.leasehold.micrometer;

import org.jspecify.annotations.NullMarked;
