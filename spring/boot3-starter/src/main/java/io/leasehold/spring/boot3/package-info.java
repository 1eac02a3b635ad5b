/** What only Spring Boot 3 has: the place of its health indicators. */
@NullMarked
package io.leasehold.spring.boot3;

import org.jspecify.annotations.NullMarked;
