package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.IdempotentContract;

/** {@code @Idempotent} on Spring Boot 3. */
class IdempotentTest extends IdempotentContract {}
