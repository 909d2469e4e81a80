package io.verbena.sockets;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Enforces the order of the packages: nio uses stream, stream uses protocol, and protocol is pure. */
class SocketsArchitectureTest {

    private static final String ROOT = "io.verbena.sockets.";

    private static final JavaClasses MODULE = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importUrl(VerbenaSelectorProvider.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation());

    private static void uses(String room, String... allowed) {
        List<String> packages = new ArrayList<>(List.of(ROOT + room, "java.lang..", "java.util..", "org.jspecify.."));
        packages.addAll(List.of(allowed));
        classes()
                .that()
                .resideInAPackage(ROOT + room)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(packages.toArray(String[]::new))
                .check(MODULE);
    }

    @Test
    void protocol_isPure() {
        uses("protocol", "io.verbena.base", "java.nio");
        classes()
                .that()
                .resideInAPackage(ROOT + "protocol")
                .should()
                .onlyAccessClassesThat()
                .doNotBelongToAnyOf(Thread.class, System.class, java.util.Random.class)
                .check(MODULE);
    }

    @Test
    void stream_usesVerbsAndTheProtocol() {
        uses("stream", "io.verbena.verbs", ROOT + "protocol", "java.io", "java.net", "java.nio..", "java.time");
    }

    @Test
    void nio_usesVerbsAndStreams() {
        uses("nio", "io.verbena.verbs", ROOT + "stream", "java.io", "java.net", "java.nio..", "java.time");
    }
}
