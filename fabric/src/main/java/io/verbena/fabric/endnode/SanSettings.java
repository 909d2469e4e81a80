package io.verbena.fabric.endnode;

import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.node.SwitchSettings;

/**
 * How a simulated system area network works.
 *
 * @param link lanes, buffers, errors, and the seed of everything
 * @param switches how switches work
 * @param levels the service levels that the routes require
 * @param paths which paths the packets of a connection take
 */
public record SanSettings(LinkSettings link, SwitchSettings switches, ServiceLevels levels, PathUse paths) {

    /** Two lanes, no errors, seed 1. */
    public static final SanSettings DEFAULT =
            new SanSettings(LinkSettings.DEFAULT.withLanes(2), SwitchSettings.DEFAULT, ServiceLevels.ANY, PathUse.ONE);

    /** The same with other links. */
    public SanSettings with(LinkSettings value) {
        return new SanSettings(value, switches, levels, paths);
    }

    /** The same with other switches. */
    public SanSettings with(SwitchSettings value) {
        return new SanSettings(link, value, levels, paths);
    }

    /** The same with other service levels. */
    public SanSettings with(ServiceLevels value) {
        return new SanSettings(link, switches, value, paths);
    }

    /** The same with striping. */
    public SanSettings withStriping() {
        return with(PathUse.STRIPED);
    }

    /** The same with other paths. */
    public SanSettings with(PathUse value) {
        return new SanSettings(link, switches, levels, value);
    }

    /** The same with another seed. */
    public SanSettings withSeed(long value) {
        return with(link.withSeed(value));
    }
}
