package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.EndToEndContract;

/** On Spring Boot 3, PostgreSQL and Redis. */
class EndToEndTest extends EndToEndContract {}
