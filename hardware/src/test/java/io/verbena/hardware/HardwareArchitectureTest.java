package io.verbena.hardware;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.PrintStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The provider uses the public verbs, notification and the foundations; not the software RNIC. */
@Tag("sources")
class HardwareArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("io.verbena.hardware");

    @Test
    void hardware_ofVerbena_usesTheVerbsTheirObjectsNotificationAndBaseOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.verbs",
                                "io.verbena.base",
                                "io.verbena.live",
                                "io.verbena.notify",
                                "io.verbena.objects",
                                "io.verbena.queue",
                                "io.verbena.survival",
                                "io.verbena.text",
                                "io.verbena.hardware.."))))
                .check(CLASSES);
    }

    @Test
    void abi_knowsNothingOfTheProvider() {
        noClasses()
                .that()
                .resideInAPackage("io.verbena.hardware.abi..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.hardware.provider..", "io.verbena.notify"))
                .check(CLASSES);
    }

    @Test
    void devicesAndRequests_knowNoObjectOfTheVerbs() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.verbena.hardware.provider.cm",
                        "io.verbena.hardware.provider.device",
                        "io.verbena.hardware.provider.request",
                        "io.verbena.hardware.provider.survival")
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena.hardware.provider"))
                .check(CLASSES);
    }

    @Test
    void hardware_printsNothing() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .areAssignableTo(PrintStream.class)
                .check(CLASSES);
    }

    @Test
    void hardware_usesNoInternalsOfTheJdk() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal..", "com.sun.."))
                .check(CLASSES);
    }
}
