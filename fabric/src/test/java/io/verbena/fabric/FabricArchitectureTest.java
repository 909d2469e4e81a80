package io.verbena.fabric;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fabric is a set of pure engines: time and randomness are arguments, and only headers and ports are known of the core. The package
 * endnode is apart: it joins a fabric and the RNICs of a simulation.
 */
@Tag("sources")
class FabricArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.fabric");

    private static final String ENDNODE = "io.verbena.fabric.endnode..";

    @Test
    void fabric_ofVerbena_usesPortWireAndBaseOnly() {
        noClasses()
                .that(not(resideInAnyPackage(ENDNODE)))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.base..", "io.verbena.wire..", "io.verbena.port..", "io.verbena.fabric.."))))
                .allowEmptyShould(true)
                .check(CLASSES);
        noClasses()
                .that(not(resideInAnyPackage(ENDNODE)))
                .should()
                .dependOnClassesThat(resideInAnyPackage(ENDNODE))
                .check(CLASSES);
    }

    @Test
    void endnodes_ofVerbena_useTheSimulationAndTheTransportOfInfiniband() {
        noClasses()
                .that(resideInAnyPackage(ENDNODE))
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.base..",
                                "io.verbena.wire..",
                                "io.verbena.port..",
                                "io.verbena.text",
                                "io.verbena.ib..",
                                "io.verbena.rnic",
                                "io.verbena.rnic.context",
                                "io.verbena.rnic.ib..",
                                "io.verbena.verbs",
                                "io.verbena.sim",
                                "io.verbena.sim.lan",
                                "io.verbena.fabric.."))))
                .check(CLASSES);
    }

    @Test
    void fabric_hasNoThreadClockOrSocket() {
        // Endnodes have addresses, and a capture is written to a channel that it is given.
        noClasses()
                .that(resideInAnyPackage(ENDNODE))
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent..")
                        .and(not(belongToAnyOf(
                                InetAddress.class,
                                InetAddress[].class,
                                InetSocketAddress.class,
                                SocketAddress.class,
                                WritableByteChannel.class))))
                .check(CLASSES);
        noClasses()
                .that(not(resideInAnyPackage(ENDNODE)))
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent.."))
                .check(CLASSES);
        noClasses()
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .dependOnClassesThat(belongToAnyOf(Thread.class, java.util.Random.class))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void fabric_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void fabric_usesNoInternalsOfTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .allowEmptyShould(true)
                .check(CLASSES);
    }
}
