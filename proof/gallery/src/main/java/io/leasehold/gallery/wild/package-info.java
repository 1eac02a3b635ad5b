/** Broken locks, written as they are found. Do not use them. */
@NullMarked
package io.leasehold.gallery.wild;

import org.jspecify.annotations.NullMarked;
