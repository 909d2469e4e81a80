package io.verbena.fabric.endnode;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.node.SwitchSettings;

/**
 * How a simulated system area network works.
 *
 * @param link lanes, buffers, errors, and the seed of everything
 * @param switches how switches work
 * @param levels the service levels that the routes require
 */
public record SanSettings(LinkSettings link, SwitchSettings switches, ServiceLevels levels) {

    /** Two lanes, no errors, seed 1. */
    public static final SanSettings DEFAULT =
            new SanSettings(LinkSettings.DEFAULT.withLanes(2), SwitchSettings.DEFAULT, ServiceLevels.ANY);

    /** The same with other links. */
    public SanSettings with(LinkSettings value) {
        return new SanSettings(value, switches, levels);
    }

    /** The same with other switches. */
    public SanSettings with(SwitchSettings value) {
        return new SanSettings(link, value, levels);
    }

    /** The same with other service levels. */
    public SanSettings with(ServiceLevels value) {
        return new SanSettings(link, switches, value);
    }

    /** The same with another seed. */
    public SanSettings withSeed(long value) {
        return with(link.withSeed(value));
    }
}
