package io.verbena.rnic.context;

import io.verbena.verbs.RnicOptions;

/**
 * What the objects of an RNIC know of how it was opened.
 *
 * @param environment drives it
 * @param options as the application gave them
 * @param limits of its transport
 * @param rules of its transport about posted work
 */
public record Opening(Environment environment, RnicOptions options, TransportLimits limits, WorkRules rules) {}
