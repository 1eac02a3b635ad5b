/** An order service on Spring Boot; its README says what there is to see. */
package io.leasehold.examples.orders;
