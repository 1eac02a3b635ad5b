/**
 * Locks in Consul: entries under the name of the lock that live as long as a session of their
 * client, over the HTTP API of an agent.
 */
@NullMarked
package io.leasehold.consul;

import org.jspecify.annotations.NullMarked;
