/**
 * How a connection over an adapter survives its transport, without the objects of the verbs: what the sides agree on,
 * what they say when they resume, and what becomes of each request.
 */
@NullMarked
package io.verbena.hardware.provider.survival;

import org.jspecify.annotations.NullMarked;
