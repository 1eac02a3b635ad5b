/** What {@code once} records: the outcome of a command, and that it began. */
@NullMarked
package io.leasehold.cli.once;

import org.jspecify.annotations.NullMarked;
