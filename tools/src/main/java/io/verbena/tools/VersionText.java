package io.verbena.tools;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** What {@code verbena --version} prints. */
final class VersionText implements IVersionProvider {

    @Override
    public String[] getVersion() {
        return new String[] {
            "verbena " + version(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
        };
    }

    /** The version of this build, from the module or the jar; {@code development} outside both. */
    static String version() {
        Optional<String> module =
                Optional.ofNullable(Verbena.class.getModule().getDescriptor()).flatMap(d -> d.rawVersion());
        return module.orElseGet(
                () -> Optional.ofNullable(Verbena.class.getPackage().getImplementationVersion())
                        .orElse("development"));
    }
}
