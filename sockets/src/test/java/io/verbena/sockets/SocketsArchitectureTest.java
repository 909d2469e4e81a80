package io.verbena.sockets;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.verbena.base.Digest;
import io.verbena.base.StateMachine;
import io.verbena.base.TransitionTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sockets use the public verbs; their protocol is pure; their packages have an order. */
@Tag("sources")
class SocketsArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.sockets");

    private static final String PROTOCOL = "io.verbena.sockets.protocol";
    private static final String RING = "io.verbena.sockets.ring";

    @Test
    void sockets_ofVerbena_useTheVerbsOnly_andTheProtocolTablesAndDigests() {
        noClasses()
                .that(not(resideInAnyPackage(PROTOCOL, RING)))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.verbs", "io.verbena.live", "io.verbena.text", "io.verbena.sockets.."))))
                .check(CLASSES);
        noClasses()
                .that(resideInAnyPackage(PROTOCOL, RING))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(PROTOCOL, RING)))
                        .and(not(belongToAnyOf(
                                TransitionTable.class,
                                TransitionTable.Builder.class,
                                StateMachine.class,
                                Digest.class))))
                .check(CLASSES);
    }

    @Test
    void protocolAndRings_arePure() {
        noClasses()
                .that()
                .resideInAnyPackage(PROTOCOL, RING)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "java.net..", "java.nio.channels..", "java.util.concurrent..", "java.util.random.."))
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat(belongToAnyOf(Thread.class, java.util.Random.class))
                .check(CLASSES);
    }

    @Test
    void rings_knowNoOtherStream() {
        noClasses()
                .that()
                .resideInAPackage("io.verbena.sockets.ring..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.sockets..")
                        .and(not(resideInAnyPackage("io.verbena.sockets.ring.."))))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage(PROTOCOL, "io.verbena.sockets.stream")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.sockets.ring.."))
                .check(CLASSES);
    }

    /** The order of the packages: agent and proxy, channels, streams, protocol; the way to other processes is for channels, the agent and the command line. */
    @Test
    void protocol_knowsNoStream() {
        noClasses()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.sockets.stream..",
                        "io.verbena.sockets.nio..",
                        "io.verbena.sockets.agent..",
                        "io.verbena.sockets.net..",
                        "io.verbena.live..",
                        "io.verbena.sockets.proxy.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.sockets.stream")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.sockets.nio..",
                        "io.verbena.sockets.agent..",
                        "io.verbena.sockets.net..",
                        "io.verbena.live..",
                        "io.verbena.sockets.proxy.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.sockets.nio..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.verbena.sockets.agent..", "io.verbena.sockets.net..", "io.verbena.sockets.proxy.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.verbena.sockets.net")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.sockets.agent..", "io.verbena.sockets.proxy.."))
                .check(CLASSES);
    }
}
