/** What only Spring Boot 4 has: the place of its health indicators. */
@NullMarked
package io.leasehold.spring.boot4;

import org.jspecify.annotations.NullMarked;
