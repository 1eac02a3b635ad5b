/**
 * What {@code ./bench zookeeper}, {@code ./bench etcd} and {@code ./bench consul} run: processes of
 * several lock libraries on one server, in turns, and the targets that Leasehold is held to.
 */
@NullMarked
package io.leasehold.benchmarks.sessions;

import org.jspecify.annotations.NullMarked;
