package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.StarterContract;

/** On Spring Boot 4: what the starter configures. */
class StarterTest extends StarterContract {}
