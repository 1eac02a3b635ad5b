/** The code that the documentation quotes. Compiled and run by the tests beside it. */
@NullMarked
package io.leasehold.examples;

import org.jspecify.annotations.NullMarked;
