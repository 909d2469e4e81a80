package io.verbena.fabric.topology;

import java.util.Optional;

/** The files that a text of ibsim includes. */
@FunctionalInterface
public interface TopologyFiles {

    /** No file exists. */
    TopologyFiles NONE = name -> Optional.empty();

    /** The text of a file; empty if it cannot be read. */
    Optional<String> text(String name);
}
