package io.leasehold.spring.boot3;

import io.leasehold.spring.tests.VirtualThreadsContract;

/** On Spring Boot 3 with virtual threads. */
class VirtualThreadsTest extends VirtualThreadsContract {}
