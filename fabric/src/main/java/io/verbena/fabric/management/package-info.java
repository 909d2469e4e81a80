/**
 * A fabric that can be managed: each node's subnet management agent and performance agent, the paths that management datagrams take by
 * LID or by directed route, failing cables, and the traps that report failures. No I/O and no clock.
 */
@NullMarked
package io.verbena.fabric.management;

import org.jspecify.annotations.NullMarked;
