/**
 * Switches and adapters over the links of {@code io.verbena.fabric.link}. {@link io.verbena.fabric.node.Wiring} describes
 * the connections and the forwarding of frames; {@link io.verbena.fabric.node.Fabric} runs them.
 */
@NullMarked
package io.verbena.fabric.node;

import org.jspecify.annotations.NullMarked;
