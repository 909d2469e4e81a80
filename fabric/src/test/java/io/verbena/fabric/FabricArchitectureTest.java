package io.verbena.fabric;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

/** The fabric is a set of pure engines: time and randomness are arguments, and only headers and ports are known of the core. */
class FabricArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.fabric");

    @Test
    void fabric_ofVerbena_usesPortWireAndBaseOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.base..", "io.verbena.wire..", "io.verbena.port..", "io.verbena.fabric.."))))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void fabric_hasNoThreadClockOrSocket() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.net..", "java.nio.channels..", "java.util.concurrent.."))
                .orShould()
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
