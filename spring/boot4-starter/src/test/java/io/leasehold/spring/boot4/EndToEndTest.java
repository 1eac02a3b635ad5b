package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.EndToEndContract;

/** On Spring Boot 4, PostgreSQL and Redis. */
class EndToEndTest extends EndToEndContract {}
