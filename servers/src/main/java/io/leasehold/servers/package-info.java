/** Real servers for tests: found or fetched, started on a free port, paused, killed, restarted. */
@NullMarked
package io.leasehold.servers;

import org.jspecify.annotations.NullMarked;
