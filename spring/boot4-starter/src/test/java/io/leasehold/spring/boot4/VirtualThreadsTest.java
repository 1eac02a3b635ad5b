package io.leasehold.spring.boot4;

import io.leasehold.spring.tests.VirtualThreadsContract;

/** On Spring Boot 4 with virtual threads. */
class VirtualThreadsTest extends VirtualThreadsContract {}
