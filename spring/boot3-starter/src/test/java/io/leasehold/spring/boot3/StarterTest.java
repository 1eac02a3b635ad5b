package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.StarterContract;

/** On Spring Boot 3: what the starter configures. */
class StarterTest extends StarterContract {}
