package mpi;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

/** The package uses the communicators of messaging, and nothing below them. */
class MpiArchitectureTest {

    @Test
    void mpi_ofVerbena_usesMessagingOnly() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("io.verbena..")
                        .and(not(resideInAnyPackage(
                                "io.verbena.messaging",
                                "io.verbena.messaging.channel",
                                "io.verbena.messaging.collective"))))
                .check(new ClassFileImporter()
                        .withImportOption(location -> !location.contains("/test-classes/"))
                        .importPackages("mpi"));
    }
}
