CREATE TABLE public.activepu_events (
    study integer NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    sequence integer,
    item bigint,
    expert text,
    answer integer,
    note text,
    at double precision NOT NULL,
    after integer,
    hash text
);
CREATE TABLE public.activepu_experts (
    study integer NOT NULL,
    name text NOT NULL,
    wants integer DEFAULT 0 NOT NULL,
    wants_until double precision DEFAULT '0'::double precision NOT NULL
);
CREATE TABLE public.activepu_keys (
    study integer NOT NULL,
    key text NOT NULL,
    change text NOT NULL,
    returned text NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.activepu_leases (
    study integer NOT NULL,
    sequence integer NOT NULL,
    token text NOT NULL,
    expert text NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.activepu_questions (
    sequence integer NOT NULL,
    study integer NOT NULL,
    item bigint NOT NULL,
    state text NOT NULL,
    answer integer,
    expert text NOT NULL,
    token text,
    expires double precision NOT NULL,
    shown integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.activepu_spellings (
    study integer NOT NULL,
    folded text NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.activepu_studies (
    id integer NOT NULL,
    name text NOT NULL,
    made double precision NOT NULL,
    settings text NOT NULL,
    folded text,
    chooser text DEFAULT ''::text NOT NULL,
    chooser_until double precision DEFAULT '0'::double precision NOT NULL,
    choosing_after integer,
    origin text,
    last integer DEFAULT 0 NOT NULL,
    head text
);
CREATE SEQUENCE public.activepu_studies_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_studies_id_seq OWNED BY public.activepu_studies.id;
CREATE TABLE public.activepu_version (
    id integer NOT NULL,
    version integer
);
CREATE SEQUENCE public.activepu_version_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.activepu_version_id_seq OWNED BY public.activepu_version.id;
ALTER TABLE ONLY public.activepu_studies ALTER COLUMN id SET DEFAULT nextval('public.activepu_studies_id_seq'::regclass);
ALTER TABLE ONLY public.activepu_version ALTER COLUMN id SET DEFAULT nextval('public.activepu_version_id_seq'::regclass);
INSERT INTO public.activepu_events VALUES (1, 1, 'ask', 0, 22, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795133115.623371, NULL, '2a4d4ba2717baf3dda9b211fef9ef903b3e3bd7589e15542194d839cacbe9507');
INSERT INTO public.activepu_events VALUES (1, 2, 'shown', 0, 22, 'ann', NULL, NULL, 1795133115.626638, NULL, 'de7fe6ab5890d8d2931343ef9ef86fda2d54b1267eeda963feb7497ff8ac34e9');
INSERT INTO public.activepu_events VALUES (1, 3, 'skip', 0, 22, 'ann', NULL, NULL, 1795133115.66366, NULL, '32429165974b880a3eeec6421f1d562671ff0d8d462052d87959947652801747');
INSERT INTO public.activepu_events VALUES (1, 4, 'withdraw', 0, NULL, NULL, NULL, NULL, 1795133115.679435, NULL, '69f8bcaba8ceee9c34e4daa3d9b38153f8b682483a1300a4de5c7f6dd5499392');
INSERT INTO public.activepu_events VALUES (1, 5, 'ask', 1, 312, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.20348837209302326, "drawn": 0}', 1795133115.803808, NULL, 'fbec4a54c10b5e0ae83b633ae6e7ec7048aa09644c7d10a7f9d13e98a5bcedfb');
INSERT INTO public.activepu_events VALUES (1, 6, 'shown', 1, 312, 'bob', NULL, NULL, 1795133115.804323, NULL, '3e9a22746ad69d2536129d575c201cdc51321d5d2ebdd6625f9991eba7511873');
INSERT INTO public.activepu_events VALUES (1, 7, 'answer', 1, 312, 'bob', 0, NULL, 1795133115.822658, NULL, '115de304083f052a6cb7aec74ffadb4fb19ce4d9be7edac33cecdb9d2e30d78a');
INSERT INTO public.activepu_events VALUES (1, 8, 'ask', 2, 319, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.18783309108527133, "drawn": 0}', 1795133116.07176, NULL, 'a61b2ec1f0f4421ce20dfef3e3b8c909ffea36c6aba8834fed4b10a800c01169');
INSERT INTO public.activepu_events VALUES (1, 9, 'shown', 2, 319, 'ann', NULL, NULL, 1795133116.072227, NULL, '63165f1689d1796c139b346bafb0d13d5e09b77bf89880d179a78a24fdda4fca');
INSERT INTO public.activepu_events VALUES (1, 10, 'answer', 2, 319, 'ann', 0, NULL, 1795133116.079463, NULL, '7640fd2e0abd16a7b0319628fa49efb174b1bad31f5fad8fe736b23548645ab5');
INSERT INTO public.activepu_events VALUES (1, 11, 'ask', 3, 245, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.17662659479733508, "drawn": 0}', 1795133116.246841, NULL, '751da918862ab9649693438ec9125c66bd4c31152c709334515a01106c6cac72');
INSERT INTO public.activepu_events VALUES (1, 12, 'shown', 3, 245, 'bob', NULL, NULL, 1795133116.247447, NULL, '2c88eea2734dcb9b534bc605f6f83a4d0d9fd098b6e1bb28c40228e3e662d54c');
INSERT INTO public.activepu_events VALUES (1, 13, 'answer', 3, 245, 'bob', 0, NULL, 1795133116.249958, NULL, 'af5307cee0274cb16937f9a1a58cfc3df40f83413917e86e12fe23d0693426f3');
INSERT INTO public.activepu_events VALUES (1, 14, 'ask', 4, 222, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.15930712007158207, "drawn": 0}', 1795133116.341146, NULL, '75238a62934312baf09d0f6d20292533ff15bb76330ae8cb56c72de69c03a798');
INSERT INTO public.activepu_events VALUES (1, 15, 'shown', 4, 222, 'ann', NULL, NULL, 1795133116.341619, NULL, 'decccfdf41639d3b4ed527c12fd886cf17dfd949c55407e5585f720a85bad722');
INSERT INTO public.activepu_events VALUES (1, 16, 'answer', 4, 222, 'ann', 0, NULL, 1795133116.376181, NULL, 'ba065981e4aed9b217cf2c4892d68706d6a2a1ceaa65a96fb3749b4c5695f75c');
INSERT INTO public.activepu_events VALUES (1, 17, 'ask', 5, 322, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.134532713578973, "drawn": 0}', 1795133116.499576, NULL, '133ef663cf66cbe0c74cd496c3380338a51148996335e1d9644a7f4a837ca761');
INSERT INTO public.activepu_events VALUES (1, 18, 'shown', 5, 322, 'bob', NULL, NULL, 1795133116.500104, NULL, 'ad502f664ac231606f36d89cebd58749d650cc7f1b764fcea03675088e9602d6');
INSERT INTO public.activepu_events VALUES (1, 19, 'answer', 5, 322, 'bob', 0, NULL, 1795133116.530029, NULL, '63148e8ba906e48497325a1565eb5909627c829c425a39770cba672051fcc930');
INSERT INTO public.activepu_events VALUES (1, 20, 'ask', 6, 95, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.10034495114381317, "drawn": 0}', 1795133116.643564, NULL, 'ac0c6f32111fc2bed29fdb101fe84c0bc469957189f34cb230e417b2b876999e');
INSERT INTO public.activepu_events VALUES (1, 21, 'shown', 6, 95, 'ann', NULL, NULL, 1795133116.644117, NULL, '6247cd56919f5443143c922a23c5b78600e903696a8f923c1145f5de1a969ba7');
INSERT INTO public.activepu_events VALUES (1, 22, 'answer', 6, 95, 'ann', 0, NULL, 1795133116.714911, NULL, 'ba4d626ed79712b3fb02ebbccfa604f08d6275dc8279f22257e3c366bd494b6f');
INSERT INTO public.activepu_events VALUES (1, 23, 'ask', 7, 226, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.10424251337911268, "drawn": 0}', 1795133116.822202, NULL, 'fa2d4e6b733214f78a0a617beb5ee96ba78ce8659d5d6ea866f59b55e6290afe');
INSERT INTO public.activepu_events VALUES (1, 24, 'shown', 7, 226, 'bob', NULL, NULL, 1795133116.822607, NULL, '540398bba18e761495bc36c73eb7042647308f624e3d872daae528ee311166af');
INSERT INTO public.activepu_events VALUES (1, 25, 'answer', 7, 226, 'bob', 1, NULL, 1795133116.890576, NULL, 'a3cec70643a83f1ccb86b8db8fe8077c37a341fe9ef4eea1b19c71aa7dc42c81');
INSERT INTO public.activepu_events VALUES (1, 26, 'ask', 8, 321, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.2633040148340442, "drawn": 0}', 1795133117.008866, NULL, '81db5529230b9c46693d54c600c54d7aa5d5972feb735b69043b097017f1d81b');
INSERT INTO public.activepu_events VALUES (1, 27, 'shown', 8, 321, 'ann', NULL, NULL, 1795133117.011493, NULL, 'cedcf61af630fc0d9046f6f80afdcb791a09743650ecf30590eeeeda5d4a916f');
INSERT INTO public.activepu_events VALUES (1, 28, 'answer', 8, 321, 'ann', 0, NULL, 1795133117.064177, NULL, '674ca9ae8102bcb4a75c86ef5316c5c3752b40d9d922bd0f67a00887c6e8d56f');
INSERT INTO public.activepu_events VALUES (1, 29, 'ask', 9, 101, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.2350451114950698, "drawn": 0}', 1795133117.227301, NULL, '100d0afb22e94fe64a0621e47ffa89a09b41d008eefc00d0784db69dfa6014e9');
INSERT INTO public.activepu_events VALUES (1, 30, 'shown', 9, 101, 'bob', NULL, NULL, 1795133117.227914, NULL, 'ce5de0f5cc6b4023717b17c6b1ecc758b27602c55b770bb9bea9df25f05b386e');
INSERT INTO public.activepu_events VALUES (1, 31, 'answer', 9, 101, 'bob', 0, NULL, 1795133117.24445, NULL, '885ca89b29b085bfe4ad3c764d94b945cbc570c9c5f325f382431db3aa961390');
INSERT INTO public.activepu_events VALUES (1, 32, 'ask', 10, 3, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.20399201014300897, "drawn": 0}', 1795133117.349154, NULL, 'bc436de2a69821c64acd3007b4094f6fb9d276c6b2ad7906355555520aafca9c');
INSERT INTO public.activepu_events VALUES (1, 33, 'shown', 10, 3, 'ann', NULL, NULL, 1795133117.374523, NULL, 'ba34346dc3df6f98ab9ece2042ca3b2ea20e241dece4d5e3d31c6df809f9e458');
INSERT INTO public.activepu_events VALUES (1, 34, 'answer', 10, 3, 'ann', 1, NULL, 1795133117.409959, NULL, '86fb8a514b3f453d2d21899c1a82f9f68707df77a0118a98aefa12db3cf2192e');
INSERT INTO public.activepu_events VALUES (1, 35, 'undo', 10, 3, 'ann', NULL, NULL, 1795133117.506491, NULL, '181775d8ff760eb39d6502953e7d3b476112244dd2d2890d2dcdd84f5147b932');
INSERT INTO public.activepu_events VALUES (1, 36, 'answer', 10, 3, 'ann', 1, NULL, 1795133117.561364, NULL, '271ec2d52cfd54be450f510baab8bcda0f1e69a892c891324bb31648d7b475be');
INSERT INTO public.activepu_events VALUES (1, 37, 'ask', 11, 331, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.27649972972293163, "drawn": 0}', 1795133117.940991, NULL, '81fd158bcc723226ed8075b6a16bf76ff56adef4210d8d2d561506d82ccf4f4f');
INSERT INTO public.activepu_events VALUES (1, 38, 'shown', 11, 331, 'bob', NULL, NULL, 1795133117.941311, NULL, 'c8497b5c25771b84d41f3a3fd6608644b6a81eb8b969e2b5b4b6b44b40bb9ede');
INSERT INTO public.activepu_events VALUES (1, 39, 'answer', 11, 331, 'bob', 0, NULL, 1795133117.96215, NULL, '0c9652d532ee7de17dc700cd35275ccf8d491186ce084e668167cd8b523de102');
INSERT INTO public.activepu_events VALUES (1, 40, 'ask', 12, 301, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.517961138244109, "drawn": 0}', 1795133118.103316, NULL, '5641d90ea24da1bdf28f97e64a901704058357d8028261b61573fdbd3e666d70');
INSERT INTO public.activepu_events VALUES (1, 41, 'shown', 12, 301, 'ann', NULL, NULL, 1795133118.103809, NULL, '8d4be8d6a409555d872a9719e19468134539bfc8c8389ebdd9a0db112242116a');
INSERT INTO public.activepu_events VALUES (1, 42, 'answer', 12, 301, 'ann', 1, NULL, 1795133118.107731, NULL, '344838dc4c3ad5187322d789062f43a32ca2a2043f9ad45055bc4874d67639fa');
INSERT INTO public.activepu_events VALUES (1, 43, 'ask', 13, 199, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.33826394164653445, "drawn": 0}', 1795133118.256234, NULL, '16195753e056926e6d4283a58cbedc43376599c7e944c4e537bdcbd1c9e81e79');
INSERT INTO public.activepu_events VALUES (1, 44, 'shown', 13, 199, 'bob', NULL, NULL, 1795133118.262294, NULL, '45e682066bec5829267837a4a07aa3494511bfa9df2de69cd9818e1a4194e6b0');
INSERT INTO public.activepu_events VALUES (1, 45, 'answer', 13, 199, 'bob', 0, NULL, 1795133118.266903, NULL, '805c402593b7d40e89bcd191552a2c35a9bd8021d7f1e60ec3feddf068aeadab');
INSERT INTO public.activepu_events VALUES (1, 46, 'ask', 14, 0, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.40701690563294735, "drawn": 0}', 1795133118.505547, NULL, '8c425bd3914010deb50d58b296c16ee4b3f6d17c45f2c061405b942c290feb3d');
INSERT INTO public.activepu_events VALUES (1, 47, 'shown', 14, 0, 'ann', NULL, NULL, 1795133118.506589, NULL, '1e18a51d5e3d4052143dede28725b2a5bb19b895fc2b9d45ad447ec47bc8df22');
INSERT INTO public.activepu_events VALUES (1, 48, 'answer', 14, 0, 'ann', 1, NULL, 1795133118.53114, NULL, 'e108377c2f48de7fcbe19c114a4571f79a6ac7ef47b37a3b6214c925b4f46067');
INSERT INTO public.activepu_events VALUES (1, 49, 'ask', 15, 158, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.38431021687111777, "drawn": 0}', 1795133118.669367, NULL, 'f92602caf1ad049528eb35aa9dcf9ba0b758098d6642b8c4fd50a93ddd75aa28');
INSERT INTO public.activepu_events VALUES (1, 50, 'shown', 15, 158, 'bob', NULL, NULL, 1795133118.686461, NULL, '2235f930205cc39868d779105fd8c618bd55e160cf74eae5b0f69281d4305676');
INSERT INTO public.activepu_events VALUES (1, 51, 'timeout', 15, 158, 'bob', NULL, NULL, 1795133118.698438, NULL, '8d43ebca2d99d8b9710196ad03f0e0828d36f741e47a476c98137cddf76151de');
INSERT INTO public.activepu_events VALUES (1, 52, 'late', 15, 158, 'bob', NULL, NULL, 1795133118.722669, NULL, '26b747566a91dd63ed991f3d845c60570e3e3ddfa3e25d80bc48e6efad6766bc');
INSERT INTO public.activepu_events VALUES (1, 53, 'ask', 16, 149, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.4576440491722696, "drawn": 0}', 1795133118.842888, NULL, '14579f9b1f2b4476d82760666835e4e38f2a1114f06dd37219e96f4895942fc7');
INSERT INTO public.activepu_events VALUES (1, 54, 'shown', 16, 149, 'ann', NULL, NULL, 1795133118.850745, NULL, '77a4710e1b68957f8dcf7636c4e84769ec22feb85edfac47fc2134b79fbed6fd');
INSERT INTO public.activepu_events VALUES (1, 55, 'answer', 16, 149, 'ann', 0, NULL, 1795133118.883254, NULL, '18edc768fb9f2a976c34baa7d8ed411814ffbb28842893d40f20a691115e520b');
INSERT INTO public.activepu_events VALUES (1, 56, 'ask', 17, 223, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.39741908218307526, "drawn": 0}', 1795133118.982751, NULL, '8c50a7f60df28c0241ee711dd0a11fc5f7daa75b03456d491ea860dd3c53943a');
INSERT INTO public.activepu_events VALUES (1, 57, 'shown', 17, 223, 'bob', NULL, NULL, 1795133118.98324, NULL, '43bf14c7b3240726d6d161325d7c127e6695bd8e1130dc4411712256cdadd645');
INSERT INTO public.activepu_events VALUES (1, 58, 'answer', 17, 223, 'bob', 1, NULL, 1795133118.985139, NULL, '07cb831bbf947e6c0b5eee84a228bad30af6ebf320c33924a85390698939a172');
INSERT INTO public.activepu_events VALUES (1, 59, 'ask', 18, 210, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.467695414899033, "drawn": 0}', 1795133119.110501, NULL, '0f962db19426fbff8551a19dea880b19559cfec1cd47abae5d8bcd393470f9c8');
INSERT INTO public.activepu_events VALUES (1, 60, 'shown', 18, 210, 'ann', NULL, NULL, 1795133119.111159, NULL, '3c562ba9945565c02817063925f7bb9a6f9d14c97b8fe5a5e24fb92817e98d12');
INSERT INTO public.activepu_events VALUES (1, 61, 'answer', 18, 210, 'ann', 1, NULL, 1795133119.113365, NULL, 'ea20851a60c516bc0dcba0c33eab053001dd35d7b50342808571a7567c302cfd');
INSERT INTO public.activepu_events VALUES (1, 62, 'ask', 19, 41, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.3523199493914746, "drawn": 0}', 1795133119.238518, NULL, 'cf18664268a7175d6ad3e3c08302473b4083baecd341a8a4ee44177d14f073cb');
INSERT INTO public.activepu_events VALUES (1, 63, 'shown', 19, 41, 'bob', NULL, NULL, 1795133119.243134, NULL, 'f88f9dfade25e8c27bb31b079073e01a096e26f8491e0bd471cdae4f95820c17');
INSERT INTO public.activepu_events VALUES (1, 64, 'answer', 19, 41, 'bob', 0, NULL, 1795133119.267147, NULL, 'bf958d3f5f41b38b35d8baed414457dcb49a7b95fbcc36304838e071d2604e7a');
INSERT INTO public.activepu_events VALUES (1, 65, 'ask', 20, 213, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.43478273391665345, "drawn": 0}', 1795133119.411027, NULL, '899841f2546afea38646cb371546225c4c7a40ef8c17054cf07a613124f65836');
INSERT INTO public.activepu_events VALUES (1, 66, 'shown', 20, 213, 'ann', NULL, NULL, 1795133119.411565, NULL, '76ceb38214e2ad60b21295d5f1cb61593144a808e5b09b25db81d5a774ae06b2');
INSERT INTO public.activepu_events VALUES (1, 67, 'answer', 20, 213, 'ann', 0, NULL, 1795133119.43151, NULL, '2282f08d3781f09cd60e31354af5ad03ad4b6fbe57f56d77650ecf010b0ec7fa');
INSERT INTO public.activepu_events VALUES (1, 68, 'ask', 21, 40, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.3758190291853512, "drawn": 0}', 1795133119.555693, NULL, '6c39e8aeea5cb7a41abada507de3e09c8dedee4aaf5f9207480e6868d31c4f64');
INSERT INTO public.activepu_events VALUES (1, 69, 'shown', 21, 40, 'bob', NULL, NULL, 1795133119.55608, NULL, '76f7db1e4e6d29f5de779a7b8b4cd193bee8d1eb56963f963907278b4982c4fc');
INSERT INTO public.activepu_events VALUES (1, 70, 'answer', 21, 40, 'bob', 0, NULL, 1795133119.560254, NULL, '805f6ec0a210320367e7709f9243623dabec1631edbf2fe7ca6f79000b614e7b');
INSERT INTO public.activepu_events VALUES (1, 71, 'ask', 22, 275, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.5486828752909327, "drawn": 0}', 1795133119.703602, NULL, 'fbdffd600d49d726217333b82319b7112519a2ebd6f55e401da2435603ccc20c');
INSERT INTO public.activepu_events VALUES (1, 72, 'shown', 22, 275, 'ann', NULL, NULL, 1795133119.704059, NULL, '134a99fa2ba51e841cbf3174ae7a6cea3491075c642a7efd28fe510516652932');
INSERT INTO public.activepu_events VALUES (1, 73, 'answer', 22, 275, 'ann', 1, NULL, 1795133119.707777, NULL, '47272ed4de196c409a7fc9d2f3a4bfb13dc350749e5f1b7b764e24ce7b5b539a');
INSERT INTO public.activepu_events VALUES (1, 74, 'ask', 23, 297, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.2837993211930506, "drawn": 0}', 1795133119.79626, NULL, 'caf2f19091c86c9acd28d320f1d708ddb0b0c45def055bcc39c6e378ac0d20e0');
INSERT INTO public.activepu_events VALUES (1, 75, 'shown', 23, 297, 'bob', NULL, NULL, 1795133119.796624, NULL, '58905a7f6de67ebb161799086717722641c7675b37fd6a695e6450de189c4215');
INSERT INTO public.activepu_events VALUES (1, 76, 'answer', 23, 297, 'bob', 0, NULL, 1795133119.800388, NULL, '9f3cc06ca4e985012eca03b70e05704e1a38a9bf5e9f00eba11261a00e4f59eb');
INSERT INTO public.activepu_events VALUES (1, 77, 'ask', 24, 220, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.41429494893079766, "drawn": 0}', 1795133119.894396, NULL, '8bcfa4a2a33fdfa10d5900a7e851a782493730906e5414e375c8843a5daa92a9');
INSERT INTO public.activepu_events VALUES (1, 78, 'shown', 24, 220, 'ann', NULL, NULL, 1795133119.898618, NULL, 'c4aaf2d331b8a10b2811f12b3976ce63945ee8c32745541d5a9ac21630d7dd1d');
INSERT INTO public.activepu_events VALUES (1, 79, 'answer', 24, 220, 'ann', 0, NULL, 1795133119.946124, NULL, '73323f8c71f2f2751748f106a7b5fb07348ee070485bbf59524d4711638212cb');
INSERT INTO public.activepu_events VALUES (1, 80, 'ask', 25, 147, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.2692878324706217, "drawn": 0}', 1795133120.047276, NULL, '612cb884b1b0a3d62642a24772b05a2107a23feb49219a60afb1bced0b028ede');
INSERT INTO public.activepu_events VALUES (1, 81, 'shown', 25, 147, 'bob', NULL, NULL, 1795133120.047614, NULL, '3fadade707380f3a9bff5e29ce827e7ec5f1482c079d6aa0529ff88e09c217fe');
INSERT INTO public.activepu_events VALUES (1, 82, 'answer', 25, 147, 'bob', 0, NULL, 1795133120.079203, NULL, '6640ae7201ef3965828438228fbd59f238121b4cb8f766c0e2430dd09d5a0c2d');
INSERT INTO public.activepu_events VALUES (1, 83, 'ask', 26, 140, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.3132589190122281, "drawn": 0}', 1795133120.167978, NULL, 'dfa2c4dcdf9727016909c02d3651c1e16ef0171522d10f089db593aec4b987b3');
INSERT INTO public.activepu_events VALUES (1, 84, 'shown', 26, 140, 'ann', NULL, NULL, 1795133120.168312, NULL, '246eab008d7fe7e72b066155dab2563ed1164fa45b44559c92fada7ab0fb12c9');
INSERT INTO public.activepu_events VALUES (1, 85, 'answer', 26, 140, 'ann', 0, NULL, 1795133120.16997, NULL, 'e502a5ff31615e0beb454679682a627be02b346f2a986e64f7df1187fc539d34');
INSERT INTO public.activepu_events VALUES (1, 86, 'ask', 27, 394, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.22845785217416717, "drawn": 0}', 1795133120.267296, NULL, '10ab6d1afc6efeaf006ff840fdb3a8d20b7b23eed9c7d306f1a96d1026bd8dc7');
INSERT INTO public.activepu_events VALUES (1, 87, 'shown', 27, 394, 'bob', NULL, NULL, 1795133120.267618, NULL, '80e7f0d8aa541f49ae7be1ea8ead590d7fbdda387c5aa09f415d52691660702f');
INSERT INTO public.activepu_events VALUES (1, 88, 'answer', 27, 394, 'bob', 1, NULL, 1795133120.269655, NULL, '1aaf1c50155723b328ff5a97d1bff9611e5755bdb14c5bd42c35390e3ae43032');
INSERT INTO public.activepu_events VALUES (1, 89, 'ask', 28, 215, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.2007423187949919, "drawn": 0}', 1795133120.372307, NULL, '9ec853ba9ef19354cbf71ac2edc2693d83ff00ab00b18c7803e09d645da49db3');
INSERT INTO public.activepu_events VALUES (1, 90, 'shown', 28, 215, 'ann', NULL, NULL, 1795133120.374464, NULL, '2cee616df888b9ca5bbdef40f17550c8856120c1d5bdb7fdf019b9d66c895ce1');
INSERT INTO public.activepu_events VALUES (1, 91, 'answer', 28, 215, 'ann', 1, NULL, 1795133120.404236, NULL, '79f98a0b81e4a9bdc892fb59c1859b85d606bf574b7a817d846853bc0cd8608c');
INSERT INTO public.activepu_events VALUES (1, 92, 'ask', 29, 392, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.279799521319682, "drawn": 0}', 1795133120.469513, NULL, 'bfbfa18bb1857a88e93e56a174ff210d87f7cfa3b5d3292516ba6ade519a29ae');
INSERT INTO public.activepu_events VALUES (1, 93, 'shown', 29, 392, 'bob', NULL, NULL, 1795133120.469821, NULL, '7e581fdd2ca528906357c96c50fc026cebd6fc3100a7c5b383da90d75e681197');
INSERT INTO public.activepu_events VALUES (1, 94, 'answer', 29, 392, 'bob', 1, NULL, 1795133120.471571, NULL, 'aecb43ebc3e2a05ec4c1c8b4bbb6b48dba8d66755f9b02f9333de8ac94466864');
INSERT INTO public.activepu_events VALUES (1, 95, 'ask', 30, 332, 'ann', NULL, '{"phase": "search", "position": -1, "prediction": 0.26726643580480813, "drawn": 0}', 1795133120.557478, NULL, 'f9c7d9cf11af6e8d1e08a07c4079c5d1288f5177cc112d2b73d102bde3ccdc2e');
INSERT INTO public.activepu_events VALUES (1, 96, 'shown', 30, 332, 'ann', NULL, NULL, 1795133120.557781, NULL, 'a69efd8ed59a0bf156d35b378f77060a65b092fe23a4698e48be919ee0823293');
INSERT INTO public.activepu_events VALUES (1, 97, 'answer', 30, 332, 'ann', 0, NULL, 1795133120.590523, NULL, '84aa98d8c48de8725a7b3bbe7379d628642effffd457b74f66044a149871874e');
INSERT INTO public.activepu_events VALUES (1, 98, 'ask', 31, 398, 'bob', NULL, '{"phase": "search", "position": -1, "prediction": 0.3537356162912715, "drawn": 0}', 1795133120.699584, NULL, '09b1651e545fb3ee228a0cb7e75891bb3a2a55264b8a7fe903e53633a758b1d3');
INSERT INTO public.activepu_events VALUES (1, 99, 'shown', 31, 398, 'bob', NULL, NULL, 1795133120.699905, NULL, '9e0a8afaf7696e3a7bc33dfddc41381079608c8987d21888d8469af482147a9d');
INSERT INTO public.activepu_events VALUES (1, 100, 'answer', 31, 398, 'bob', 1, NULL, 1795133120.701811, NULL, '80890aeb74df3068420a244bf7c5d935a99a8a75ab69f4989b43d7ff5b7be4b3');
INSERT INTO public.activepu_experts VALUES (1, 'ann', 0, 1795136720.557992);
INSERT INTO public.activepu_experts VALUES (1, 'bob', 0, 1795136720.700124);
INSERT INTO public.activepu_leases VALUES (1, 0, '0-mG_-bd0hh3XSCp-sC8xMDA', 'ann', 'skipped');
INSERT INTO public.activepu_leases VALUES (1, 10, '10-j0qd_mlQUn_29170lTH9og', 'ann', 'undone');
INSERT INTO public.activepu_questions VALUES (0, 1, 22, 'withdrawn', NULL, '', NULL, 0, 0);
INSERT INTO public.activepu_questions VALUES (21, 1, 40, 'answered', 0, 'bob', '21-jC0JN6wVx9hYrCdyYgtGiw', 1795134019.55639, 1);
INSERT INTO public.activepu_questions VALUES (1, 1, 312, 'answered', 0, 'bob', '1-4IHKEEfzNVpo3aQ6FtVHRg', 1795134015.804535, 1);
INSERT INTO public.activepu_questions VALUES (2, 1, 319, 'answered', 0, 'ann', '2-cAohRPx7K36cTJ076Pe3tg', 1795134016.072405, 1);
INSERT INTO public.activepu_questions VALUES (3, 1, 245, 'answered', 0, 'bob', '3-eg53dsLS5Bf9D-UC6zI7Bg', 1795134016.247676, 1);
INSERT INTO public.activepu_questions VALUES (22, 1, 275, 'answered', 1, 'ann', '22-Gi9rO8PbuM3PkfB43XZP4g', 1795134019.704191, 1);
INSERT INTO public.activepu_questions VALUES (4, 1, 222, 'answered', 0, 'ann', '4-BCko4vahyla_hIS6eitHRw', 1795134016.341817, 1);
INSERT INTO public.activepu_questions VALUES (5, 1, 322, 'answered', 0, 'bob', '5-GBQzHZX8XrGh-AV0pUJp8Q', 1795134016.500344, 1);
INSERT INTO public.activepu_questions VALUES (6, 1, 95, 'answered', 0, 'ann', '6-BpTsbHIGUbUI-_h1e7h3AQ', 1795134016.644334, 1);
INSERT INTO public.activepu_questions VALUES (23, 1, 297, 'answered', 0, 'bob', '23-QaXT72eDZ-kqXTMbBlNDMQ', 1795134019.798819, 1);
INSERT INTO public.activepu_questions VALUES (7, 1, 226, 'answered', 1, 'bob', '7-Bsyye0rLUnPFHIQS0xJXZg', 1795134016.829171, 1);
INSERT INTO public.activepu_questions VALUES (8, 1, 321, 'answered', 0, 'ann', '8-HvGkOdRoKWfpIR30ciBMoA', 1795134017.01518, 1);
INSERT INTO public.activepu_questions VALUES (9, 1, 101, 'answered', 0, 'bob', '9-6oHNiEccqz6PCu-s4mGhRA', 1795134017.228147, 1);
INSERT INTO public.activepu_questions VALUES (24, 1, 220, 'answered', 0, 'ann', '24-r88D4QjW2ShFBeOARU_leA', 1795134019.910632, 1);
INSERT INTO public.activepu_questions VALUES (10, 1, 3, 'answered', 1, 'ann', '10-SGL0zBkLA3R1zuVkUoUAfA', 1795134017.495639, 1);
INSERT INTO public.activepu_questions VALUES (11, 1, 331, 'answered', 0, 'bob', '11-7-pmJRq5N_9RJFLI2c0m6Q', 1795134017.94141, 1);
INSERT INTO public.activepu_questions VALUES (12, 1, 301, 'answered', 1, 'ann', '12-2x9qxIDAeRt2MHJgo2NvAg', 1795134018.10394, 1);
INSERT INTO public.activepu_questions VALUES (25, 1, 147, 'answered', 0, 'bob', '25-1AxGH7XBrZPz-E_iTNpomQ', 1795134020.047725, 1);
INSERT INTO public.activepu_questions VALUES (13, 1, 199, 'answered', 0, 'bob', '13-XQCDZVgLeapSL_bheFt9RQ', 1795134018.262641, 1);
INSERT INTO public.activepu_questions VALUES (14, 1, 0, 'answered', 1, 'ann', '14-LdgO7kx2z-oEZLVBJuX_3Q', 1795134018.510615, 1);
INSERT INTO public.activepu_questions VALUES (15, 1, 158, 'over', 1, 'bob', '15-JroJ70iqnGwFxp_Z81u7cQ', 1795134018.691806, 1);
INSERT INTO public.activepu_questions VALUES (26, 1, 140, 'answered', 0, 'ann', '26-J7mivwu1Z83Ym3UD4BBrSQ', 1795134020.168413, 1);
INSERT INTO public.activepu_questions VALUES (16, 1, 149, 'answered', 0, 'ann', '16-tn64oTybO65kqCA3t-BauQ', 1795134018.854689, 1);
INSERT INTO public.activepu_questions VALUES (17, 1, 223, 'answered', 1, 'bob', '17-n-6JeL-5MuwYDRSJiFIjzQ', 1795134018.983406, 1);
INSERT INTO public.activepu_questions VALUES (18, 1, 210, 'answered', 1, 'ann', '18-Dk2el77SRdUOjUuJe39E_Q', 1795134019.111321, 1);
INSERT INTO public.activepu_questions VALUES (27, 1, 394, 'answered', 1, 'bob', '27-qknAPpESeG7TVr1Aih0CZw', 1795134020.267715, 1);
INSERT INTO public.activepu_questions VALUES (19, 1, 41, 'answered', 0, 'bob', '19-vFP1e8z05oY1cVkNO6BGRQ', 1795134019.246537, 1);
INSERT INTO public.activepu_questions VALUES (20, 1, 213, 'answered', 0, 'ann', '20-HDwoa-grj8vFDd5pwXLtgA', 1795134019.411711, 1);
INSERT INTO public.activepu_questions VALUES (28, 1, 215, 'answered', 1, 'ann', '28-vjmlG01NlSV_fw1BQPyv4Q', 1795134020.390595, 1);
INSERT INTO public.activepu_questions VALUES (29, 1, 392, 'answered', 1, 'bob', '29-qHZBM9Di0QBVS0bLV8LpRQ', 1795134020.469917, 1);
INSERT INTO public.activepu_questions VALUES (30, 1, 332, 'answered', 0, 'ann', '30-GsZEIGOvquSdyYSD9fdxfA', 1795134020.557877, 1);
INSERT INTO public.activepu_questions VALUES (31, 1, 398, 'answered', 1, 'bob', '31-GdzTqXZsQosKrIhkpJCEjw', 1795134020.700004, 1);
INSERT INTO public.activepu_spellings VALUES (1, 'ann', 'ann');
INSERT INTO public.activepu_spellings VALUES (1, 'bob', 'bob');
INSERT INTO public.activepu_studies VALUES (1, 's', 1795133115.406952, '{"pool": {"rows": 400, "columns": null, "fingerprint": "25130606840960b5d8465e30c66c839bb3c46e8632a1d4a80744c45143e11df5", "made from": null, "columns of the file": null}, "learner": {"learner": "ZCal", "code": false, "settings": {"hypotheses": {"hypotheses": {"class": "boxes", "dim": null, "names": null}}, "epsilon": 0.1, "delta": 0.1, "rate": null, "false_reveal": 0.0, "check": 0}}, "says": null, "positives": [], "seed": 0, "open_per_expert": 2, "deadline": 900.0, "rate_in_time": false, "activepu": "0.1.0"}', 's', '78bfb59400a68639', 1795133122.70028, NULL, '9176c6ce15987e9b40c1052fd0d2e534fd353180ba33f34d5dddedc84de2c3ef', 100, '80890aeb74df3068420a244bf7c5d935a99a8a75ab69f4989b43d7ff5b7be4b3');
INSERT INTO public.activepu_version VALUES (1, 3);
SELECT pg_catalog.setval('public.activepu_studies_id_seq', 1, true);
SELECT pg_catalog.setval('public.activepu_version_id_seq', 1, false);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_pkey PRIMARY KEY (study, number);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_pkey PRIMARY KEY (study, name);
ALTER TABLE ONLY public.activepu_keys
    ADD CONSTRAINT activepu_keys_pkey PRIMARY KEY (study, key);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_pkey PRIMARY KEY (study, sequence, token);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_pkey PRIMARY KEY (sequence, study);
ALTER TABLE ONLY public.activepu_spellings
    ADD CONSTRAINT activepu_spellings_pkey PRIMARY KEY (study, folded);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_name_key UNIQUE (name);
ALTER TABLE ONLY public.activepu_studies
    ADD CONSTRAINT activepu_studies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.activepu_version
    ADD CONSTRAINT activepu_version_pkey PRIMARY KEY (id);
CREATE INDEX activepu_open_questions ON public.activepu_questions USING btree (study, expert, sequence) WHERE (state = 'open'::text);
CREATE UNIQUE INDEX activepu_study_names ON public.activepu_studies USING btree (folded);
ALTER TABLE ONLY public.activepu_events
    ADD CONSTRAINT activepu_events_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_experts
    ADD CONSTRAINT activepu_experts_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_keys
    ADD CONSTRAINT activepu_keys_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_leases
    ADD CONSTRAINT activepu_leases_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_questions
    ADD CONSTRAINT activepu_questions_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
ALTER TABLE ONLY public.activepu_spellings
    ADD CONSTRAINT activepu_spellings_study_fkey FOREIGN KEY (study) REFERENCES public.activepu_studies(id);
