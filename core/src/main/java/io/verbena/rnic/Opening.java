package io.verbena.rnic;

import io.verbena.verbs.RnicOptions;

/**
 * What an RNIC is opened with.
 *
 * @param environment drives it
 * @param options as the application gave them
 * @param transport of its queue pairs
 */
record Opening(Environment environment, RnicOptions options, Transport transport) {}
