/**
 * What {@code ./bench jdbc} runs: Leasehold, other lock libraries and what they are made of, on
 * PostgreSQL, MySQL and MariaDB, and the targets that Leasehold is held to.
 */
@NullMarked
package io.leasehold.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
