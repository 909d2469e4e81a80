/**
 * The verbs: what a program that uses RDMA is written against. Interfaces, records and enums only; adapters come from
 * providers.
 */
@NullMarked
package io.verbena.verbs;

import org.jspecify.annotations.NullMarked;
