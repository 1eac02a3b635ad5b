package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.IdempotencyFilterContract;

/** The HTTP filter on Spring Boot 3. */
class IdempotencyFilterTest extends IdempotencyFilterContract {}
