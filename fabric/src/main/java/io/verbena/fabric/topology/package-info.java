/**
 * What a system area network consists of: hosts with adapters, I/O units, switches, routers, and the cables between their
 * ports. Topologies are built by code, by a specification such as {@code torus:5x5}, or from the text that ibnetdiscover prints.
 */
@NullMarked
package io.verbena.fabric.topology;

import org.jspecify.annotations.NullMarked;
