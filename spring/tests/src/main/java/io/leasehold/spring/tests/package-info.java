/**
 * What the starters of both lines of Spring Boot are held to: compiled once, against the older
 * line, and run on each. A starter's tests extend the contracts and name the classes of its line.
 */
package io.leasehold.spring.tests;
