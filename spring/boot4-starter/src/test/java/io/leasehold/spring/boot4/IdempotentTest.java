package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.IdempotentContract;

/** {@code @Idempotent} on Spring Boot 4. */
class IdempotentTest extends IdempotentContract {}
