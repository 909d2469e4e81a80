/**
 * Switches and adapters over the links of {@code io.verbena.fabric.link}. {@link io.verbena.fabric.node.Wiring} says what is
 * connected and how frames are forwarded, {@link io.verbena.fabric.node.Fabric} runs it.
 */
@NullMarked
package io.verbena.fabric.node;

import org.jspecify.annotations.NullMarked;
