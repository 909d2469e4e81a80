package io.verbena.fabric.endnode;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.node.SwitchSettings;

/**
 * How a simulated system area network works.
 *
 * @param link lanes, buffers, errors, and the seed of everything
 * @param switches how switches work
 * @param levels the service levels that the routes require
 * @param striped whether the packets of a message take all ports and paths of both endnodes in turn. All LIDs of an endnode then have one
 *     GID, and connections need selective repeat, with which the receiving queue pair restores the order
 */
public record SanSettings(LinkSettings link, SwitchSettings switches, ServiceLevels levels, boolean striped) {

    /** Two lanes, no errors, seed 1. */
    public static final SanSettings DEFAULT =
            new SanSettings(LinkSettings.DEFAULT.withLanes(2), SwitchSettings.DEFAULT, ServiceLevels.ANY, false);

    /** The same with other links. */
    public SanSettings with(LinkSettings value) {
        return new SanSettings(value, switches, levels, striped);
    }

    /** The same with other switches. */
    public SanSettings with(SwitchSettings value) {
        return new SanSettings(link, value, levels, striped);
    }

    /** The same with other service levels. */
    public SanSettings with(ServiceLevels value) {
        return new SanSettings(link, switches, value, striped);
    }

    /** The same with striping. */
    public SanSettings withStriping() {
        return new SanSettings(link, switches, levels, true);
    }

    /** The same with another seed. */
    public SanSettings withSeed(long value) {
        return with(link.withSeed(value));
    }
}
