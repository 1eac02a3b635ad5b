package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.IdempotencyFilterContract;

/** The HTTP filter on Spring Boot 4. */
class IdempotencyFilterTest extends IdempotencyFilterContract {}
