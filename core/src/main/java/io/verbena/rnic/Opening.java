package io.verbena.rnic;

import io.verbena.verbs.RnicOptions;

/**
 * Parameters for opening an RNIC.
 *
 * @param environment drives the RNIC
 * @param options as given by the application
 * @param transport transport of the queue pairs
 */
record Opening(Environment environment, RnicOptions options, Transport transport) {}
