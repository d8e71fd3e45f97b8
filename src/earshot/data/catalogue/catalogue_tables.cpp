// Tables.
#include <array>

#include "earshot/data/catalogue/catalogue_entries.hpp"

namespace earshot {
namespace {

constexpr std::array kAdultFiles{
    DatasetFile{"adult/adult.data", 3974305,
                "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
                "https://archive.ics.uci.edu/static/public/2/adult.zip", "adult.data"},
    DatasetFile{"adult/adult.test", 2003153,
                "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
                "https://archive.ics.uci.edu/static/public/2/adult.zip", "adult.test"},
};

constexpr std::array kGermanCreditFiles{
    DatasetFile{"german-credit/german.data", 79793,
                "b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
                "https://archive.ics.uci.edu/static/public/144/statlog+german+credit+data.zip",
                "german.data"},
    DatasetFile{"german-credit/german.data-numeric", 102000,
                "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8",
                "https://archive.ics.uci.edu/static/public/144/statlog+german+credit+data.zip",
                "german.data-numeric"},
};

constexpr std::array kLawschoolFiles{
    DatasetFile{"lawschool/lawschs1_1_first65535.csv", 3448967,
                "fc791eef90e506bb4a3d80f2b3730e21fba83e7019207900381b2ba859f6cc0e",
                "https://raw.githubusercontent.com/jwsohn612/fairSBP/"
                "26989f93a03e64588db6a3465d4dc44bee1e85fd/datasets/lawschool.csv"},
};

constexpr std::array kLawschoolLsacFiles{
    DatasetFile{"lawschool-lsac/law_school_clean.csv", 1135557,
                "23c1b173f3480beb7afc4957b107a9917dfc4a8dc9d87ea6034ec35222152452",
                "https://raw.githubusercontent.com/tailequy/fairness_dataset/main/experiments/data/"
                "law_school_clean.csv"},
};

constexpr std::array kInsuranceFiles{
    DatasetFile{
        "insurance/insurance.csv", 54288, "505c1cbc2e63d0363bac59501563df2530aadf4cdb9cfee226f4ef32f5468281",
        "https://raw.githubusercontent.com/stedy/Machine-Learning-with-R-datasets/master/insurance.csv"},
};

constexpr std::array kWdbcFiles{
    DatasetFile{"wdbc/wdbc.data", 124103, "d606af411f3e5be8a317a5a8b652b425aaf0ff38ca683d5327ffff94c3695f4a",
                "https://archive.ics.uci.edu/static/public/17/breast+cancer+wisconsin+diagnostic.zip",
                "wdbc.data"},
};

constexpr std::array kBreastCancerWisconsinFiles{
    DatasetFile{"breast-cancer-wisconsin/breast-cancer-wisconsin.data", 19889,
                "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
                "https://archive.ics.uci.edu/static/public/15/breast+cancer+wisconsin+original.zip",
                "breast-cancer-wisconsin.data"},
};

constexpr std::array kUciBostonFiles{
    DatasetFile{"uci-boston/housing.data", 49082,
                "baadf72995725d76efe787b664e1f083388c79ba21ef9a7990d87f774184735a"},
};

constexpr std::array kUciConcreteFiles{
    DatasetFile{"uci-concrete/Concrete_Data.csv", 60209,
                "1cfe50d9de08546eac7e5ea13e7d30becceaad06d769dd9f0bdb482f867cc348"},
};

constexpr std::array kUciEnergyFiles{
    DatasetFile{"uci-energy/ENB2012_data.csv", 33489,
                "88fb36f0eb6f0afdab8602f84e67d0d631790a604d7fe9beeb531be97f4ef553"},
};

constexpr std::array kUciKin8nmFiles{
    DatasetFile{"uci-kin8nm/dataset_2175_kin8nm.csv", 1130529,
                "7b9bf0301ac936d88122557a151e1ba8f1ebc278fcf46d9f3c6d462debdbc8ad"},
};

constexpr std::array kUciNavalFiles{
    DatasetFile{"uci-naval/data.txt", 3448926,
                "de0ea69da1efaab8b9655ffed828547d10dd68c1fb8c6e0163e6a988def393a6",
                "https://archive.ics.uci.edu/static/public/316/"
                "condition+based+maintenance+of+naval+propulsion+plants.zip",
                "UCI CBM Dataset/data.txt"},
};

constexpr std::array kUciPowerPlantFiles{
    DatasetFile{"uci-power-plant/Folds5x2_pp.csv", 308694,
                "3c1fc11025f8424f8d95802d8b7086dffd3f73a552c6dcab3d973620986194b2"},
};

constexpr std::array kUciProteinFiles{
    DatasetFile{"uci-protein/CASP.csv", 3528710,
                "4277cfcb4e91a181746cbc654f001b57951c9e6a80f4f795fdb5c807e0848f40",
                "https://archive.ics.uci.edu/static/public/265/"
                "physicochemical+properties+of+protein+tertiary+structure.zip",
                "CASP.csv"},
};

constexpr std::array kUciWineRedFiles{
    DatasetFile{"uci-wine-red/winequality-red.csv", 84199,
                "4a402cf041b025d4566d954c3b9ba8635a3a8a01e039005d97d6a710278cf05e",
                "https://archive.ics.uci.edu/static/public/186/wine+quality.zip", "winequality-red.csv"},
};

constexpr std::array kUciYachtFiles{
    DatasetFile{"uci-yacht/yacht_hydrodynamics.data", 11487,
                "00dfecc0fc01ddd4c90b558a3ac11b246df8ebcfea130724223475a9a67f0ea1",
                "https://archive.ics.uci.edu/static/public/243/yacht+hydrodynamics.zip",
                "yacht_hydrodynamics.data"},
};

constexpr std::array kHouseholdPowerFiles{
    DatasetFile{"household-power/household_power_daily24.csv", 321760,
                "454fd1b4acb54c45905af062e176bcfb97844855fae3b3e980afc3802879c7e0"},
};

constexpr std::array kRealEstateValuationFiles{
    DatasetFile{"real-estate-valuation/real_estate_valuation.csv", 21966,
                "ff2feb9f5c0279929135a86ebb0dcee730df500161657320b0825730b7b89722"},
};

constexpr std::array kCmsIppsFy2011Files{
    DatasetFile{"cms-ipps-fy2011/ipps_provider_drg100_fy2011.csv", 26841595,
                "5f94ebddf97e15f868f24f7240cf214410d7db20bc0675fc6859139635401dfc"},
};

// May not be passed on, and we have no copy: sizes and checksums are not known.
constexpr std::array kHealthHeritageFiles{
    DatasetFile{"health-heritage/Claims.csv"},
    DatasetFile{"health-heritage/DrugCount.csv"},
    DatasetFile{"health-heritage/LabCount.csv"},
    DatasetFile{"health-heritage/Members.csv"},
};

constexpr std::array kMoleculesFiles{
    DatasetFile{"molecules/BBBP.csv", 148743,
                "d07a38487aeac5cee5508413e468043ef3097451d2a112701c2d60be9ec6b662",
                "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/BBBP.csv"},
    DatasetFile{"molecules/tox21.csv", 525119,
                "7d7e7facd853a63e79ddce4e9c3fcb7a0d83a1c300b603031c0f2c64fbe77761",
                "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/tox21.csv.gz"},
    DatasetFile{"molecules/clintox.csv", 95512,
                "9999816e760dd838358b5d88e81cea2fc062be4458ffa412ceecdba4f88a67b6",
                "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/clintox.csv.gz"},
};

constexpr std::array kEntries{
    DatasetEntry{
        "adult",
        "48,842 people of the 1994 US census: 6 numbers and 8 categories, income above 50,000 dollars or not",
        "CC BY 4.0", "Becker & Kohavi 1996, Adult, UCI Machine Learning Repository",
        "put adult.data and adult.test of UCI's Adult into adult/", kAdultFiles},
    DatasetEntry{
        "german-credit",
        "1,000 applicants for credit: 7 numbers and 13 categories, good or bad risk; also as 24 numbers",
        "CC BY 4.0", "Hofmann 1994, Statlog (German Credit Data), UCI Machine Learning Repository",
        "put german.data and german.data-numeric of UCI's Statlog (German Credit Data) into german-credit/",
        kGermanCreditFiles},
    DatasetEntry{"lawschool",
                 "65,535 applications to US law schools, admitted or not: the first rows of lawschs1_1",
                 "none stated; public records", "Project SEAPHE, Law school admissions data (lawschs1_1)",
                 "take datasets/lawschool.csv of jwsohn612/fairSBP on GitHub (commit 0e7517c) and put it "
                 "into lawschool/ as lawschs1_1_first65535.csv",
                 kLawschoolFiles},
    DatasetEntry{"lawschool-lsac", "20,798 law students followed until the bar examination, passed or not",
                 "none stated",
                 "Wightman 1998, LSAC national longitudinal bar passage study; cleaned by Le Quy et al. "
                 "2022, A survey on datasets for fairness-aware machine learning",
                 "take law_school_clean.csv of tailequy/fairness_dataset on GitHub (commit abb5a18) and put "
                 "it into lawschool-lsac/",
                 kLawschoolLsacFiles},
    DatasetEntry{"insurance",
                 "1,338 insured people and what their health care cost (simulated from US census figures)",
                 "Open Database Licence (ODbL/DbCL 1.0)", "Lantz 2013, Machine Learning with R",
                 "take insurance.csv of stedy/Machine-Learning-with-R-datasets on GitHub (commit ff93323) "
                 "and put it into insurance/",
                 kInsuranceFiles},
    DatasetEntry{
        "wdbc",
        "569 breast biopsies: 30 measures of the cell nuclei, benign or malignant (Wisconsin, diagnostic)",
        "CC BY 4.0",
        "Street, Wolberg & Mangasarian 1993, Nuclear feature extraction for breast tumor diagnosis",
        "put wdbc.data of UCI's Breast Cancer Wisconsin (Diagnostic) into wdbc/", kWdbcFiles},
    DatasetEntry{"breast-cancer-wisconsin",
                 "699 breast biopsies: 9 marks from 1 to 10, benign or malignant (Wisconsin, original)",
                 "CC BY 4.0", "Mangasarian & Wolberg 1990, Cancer diagnosis via linear programming",
                 "put breast-cancer-wisconsin.data of UCI's Breast Cancer Wisconsin (Original) into "
                 "breast-cancer-wisconsin/",
                 kBreastCancerWisconsinFiles},
    DatasetEntry{"uci-boston", "506 districts of Boston: 13 features, the median value of a home",
                 "none stated",
                 "Harrison & Rubinfeld 1978, Hedonic housing prices and the demand for clean air",
                 "take the whitespace-separated housing.data (boston_housing.txt of "
                 "aamini/evidential-deep-learning on GitHub (commit d1d8e39)) and put it into uci-boston/",
                 kUciBostonFiles},
    DatasetEntry{
        "uci-concrete", "1,030 mixtures of concrete: 8 features, the compressive strength", "CC BY 4.0",
        "Yeh 1998, Modeling of strength of high-performance concrete using artificial neural networks",
        "write the first sheet of Concrete_Data.xls of UCI's Concrete Compressive Strength as CSV at full "
        "precision and put it into uci-concrete/",
        kUciConcreteFiles},
    DatasetEntry{"uci-energy", "768 simulated buildings: 8 features, the heating and the cooling load",
                 "CC BY 4.0",
                 "Tsanas & Xifara 2012, Accurate quantitative estimation of energy performance of "
                 "residential buildings using statistical machine learning tools",
                 "write the first sheet of ENB2012_data.xlsx of UCI's Energy Efficiency as CSV, without its "
                 "empty rows and columns, and put it into uci-energy/",
                 kUciEnergyFiles},
    DatasetEntry{"uci-kin8nm",
                 "8,192 positions of a simulated robot arm: 8 joint angles, the distance of its hand",
                 "none stated; public", "Rasmussen et al. 1996, The DELVE manual (kin8nm)",
                 "take dataset_2175_kin8nm.csv (OpenML) from aamini/evidential-deep-learning on GitHub "
                 "(commit d1d8e39) and put it into uci-kin8nm/",
                 kUciKin8nmFiles},
    DatasetEntry{
        "uci-naval",
        "11,934 states of a simulated ship's engine: 16 features, the decay of compressor and turbine",
        "CC BY 4.0",
        "Coraddu et al. 2016, Machine learning approaches for improving condition-based maintenance of naval "
        "propulsion plants",
        "put data.txt of UCI's Condition Based Maintenance of Naval Propulsion Plants into uci-naval/",
        kUciNavalFiles},
    DatasetEntry{"uci-power-plant", "9,568 hours of a power plant: 4 features, the electrical output",
                 "CC BY 4.0",
                 "Tüfekci 2014, Prediction of full load electrical power output of a base load operated "
                 "combined cycle power plant using machine learning methods",
                 "write the first sheet of Folds5x2_pp.xlsx of UCI's Combined Cycle Power Plant as CSV and "
                 "put it into uci-power-plant/",
                 kUciPowerPlantFiles},
    DatasetEntry{
        "uci-protein", "45,730 protein decoys: 9 features, the distance from the true structure", "CC BY 4.0",
        "Rana 2013, Physicochemical properties of protein tertiary structure, UCI Machine Learning "
        "Repository",
        "put CASP.csv of UCI's Physicochemical Properties of Protein Tertiary Structure into uci-protein/",
        kUciProteinFiles},
    DatasetEntry{
        "uci-wine-red", "1,599 red wines: 11 features, the quality from 3 to 8", "CC BY 4.0",
        "Cortez et al. 2009, Modeling wine preferences by data mining from physicochemical properties",
        "put winequality-red.csv of UCI's Wine Quality into uci-wine-red/", kUciWineRedFiles},
    DatasetEntry{"uci-yacht", "308 towing experiments with yacht hulls: 6 features, the residual resistance",
                 "CC BY 4.0",
                 "Gerritsma, Onnink & Versluis 1981, Geometry, resistance and stability of the Delft "
                 "systematic yacht hull series",
                 "put yacht_hydrodynamics.data of UCI's Yacht Hydrodynamics into uci-yacht/", kUciYachtFiles},
    DatasetEntry{"household-power",
                 "electric power of one household, hourly means over 1,417 whole days (kW)", "CC BY 4.0",
                 "Hebrail & Berard 2012, Individual household electric power consumption, UCI Machine "
                 "Learning Repository",
                 "take household_power_consumption_aggre_clean.csv (commit 2500da5 of "
                 "chengjiangnan/task_aware_privacy on GitHub) and write one row per day as docs/data.md says",
                 kHouseholdPowerFiles},
    DatasetEntry{"real-estate-valuation",
                 "414 dwellings sold in New Taipei: six features and the price of a unit of area",
                 "CC BY 4.0",
                 "Yeh & Hsu 2018, Building real estate valuation models with comparative approach through "
                 "case-based reasoning",
                 "take valuation.csv (commit 2500da5 of chengjiangnan/task_aware_privacy on GitHub) and put "
                 "it into real-estate-valuation/ as real_estate_valuation.csv",
                 kRealEstateValuationFiles},
    DatasetEntry{
        "cms-ipps-fy2011",
        "what 3,337 US hospitals charged and were paid for the 100 commonest inpatient services in 2011",
        "public domain (US government work)",
        "Centers for Medicare & Medicaid Services 2013, Inpatient prospective payment system provider "
        "summary for the top 100 diagnosis-related groups, FY2011",
        "take data/DRG_data.rda of ChuxuanGao/Lab2DRG on GitHub (commit 6fbbbaa) and write its data frame as "
        "CSV with two decimals, without dollar signs, into cms-ipps-fy2011/",
        kCmsIppsFy2011Files},
    DatasetEntry{
        "health-heritage",
        "what was claimed, prescribed and tested for insured people in three years: 218,415 rows of a "
        "person and a year, a comorbidity or none (Heritage Health Prize, release 3)",
        "rules of the Heritage Health Prize: do not pass on",
        "Heritage Provider Network 2011, Heritage Health Prize, Kaggle; El Emam et al. 2012, "
        "De-identification methods for open health data: the case of the Heritage Health Prize "
        "claims dataset",
        "accept the rules of the competition hhp on Kaggle, take HHP_release3.zip and put its "
        "Claims.csv, DrugCount.csv, LabCount.csv and Members.csv into health-heritage/",
        kHealthHeritageFiles},
    DatasetEntry{
        "molecules",
        "molecules as SMILES text with laboratory results: BBBP, Tox21 and ClinTox (MoleculeNet)",
        "MIT (MoleculeNet); Tox21 is public NIH data",
        "Wu et al. 2018, MoleculeNet: a benchmark for molecular machine learning",
        "take BBBP.csv, tox21.csv and clintox.csv of MoleculeNet (DeepChem) and put them into molecules/",
        kMoleculesFiles},
};

}  // namespace

std::span<const DatasetEntry> catalogued_tables() {
  return kEntries;
}

}  // namespace earshot
