"""Word lists used by the rules. Entries are casefolded, with an underscore for a space."""
# ruff: noqa: SIM905 - word lists of many scripts, kept readable

PARTICLES = frozenset("de del della da di dos du la le van von der den bin bint ibn al el zu ter ben".split())

FIRST_NAMES = frozenset(
    """
    aaron abigail adam adrian ahmed aisha alan albert alejandro alessandro alex alexander alexandra
    alice alicia alina amanda amelia amir amy ana anastasia andre andrea andreas andrew andy angela
    anita anja anna anne annie anton antonio aria arthur ashley astrid audrey ava barbara beatrice
    ben benjamin bernd beth bianca bill bob boris brandon brian bruno caleb camila carl carla carlos
    carmen carol caroline catherine cecilia charles charlie charlotte chloe chris christian christina
    christine claire clara claudia connor cynthia daniel daniela david deborah denise dennis derek
    diana diego dieter dmitri dmitry dominic donna dorothy dylan edward elena eli elias elizabeth
    ella ellen emil emilia emily emma eric erik erika esther ethan eva evan eve evelyn fatima felix
    fernando finn fiona florian frances francesca francis frank franz fred frieda gabriel gabriela
    george gerald gina giulia grace greta gustav hannah hans harold harry hasan hassan heather heidi
    heinrich helen helena henry hugo ian ibrahim igor ines ingrid irene irina isaac isabel isabella
    ivan ivy jack jackson jacob jake james jamie jan jane janet jasmine jason javier jean jeff
    jennifer jeremy jerry jessica jim joan joe joel johanna john johnny jonas jonathan jorge jose
    josef joseph joshua juan judith judy julia julian julie karen karin karl kate katherine kathleen
    kathrin katie katja kelly kenneth kevin kim klaus kyle lara larry laura lauren lea leah lena leo
    leon leonie lewis liam lily linda lisa lorenzo louis louise luca lucas lucia lucy luis luisa luka
    lukas luke lydia maja manuel marc marco marcus margaret maria mariam marie marina mario mark
    markus marta martha martin mary mateo matt matteo matthew max maya megan melanie melissa mia
    michael michelle miguel mike mila milan miriam mohamed mohammed monica monika muhammad nadia
    nancy naomi natalia natalie natasha nathan nicholas nick nicole nikita nina noah nora oleg oliver
    olivia olga omar oscar pablo pamela patricia patrick paul paula pedro peter petra philip pierre
    priya quentin rachel rafael rahul ralph raymond rebecca richard rita robert roberto roger roman
    ronald rosa rose roy ruth ryan sabine salma sam samantha samuel sandra sara sarah scott sean
    sebastian sergei sergey sergio shannon sharon silvia simon sofia sonia sophia sophie stefan
    stella stephanie stephen steve steven sunita susan svetlana sven tamara tanya tara tatiana teresa
    theo theresa thomas tim timothy tina tobias tom tommy tony tyler ursula valentina vanessa vera
    veronica victor victoria viktor vincent virginia vladimir walter wendy werner william xavier
    yasmin yusuf yuki yuri yvonne zachary zara zoe wei ming hiroshi kenji sakura haruto mei ling
    raj arjun ananya deepak vikram caroline kwame amara chidi ngozi
    """.split()
)

CITIES = frozenset(
    """
    aachen abu_dhabi accra adelaide amsterdam antwerp athens atlanta auckland austin baltimore
    bangalore bangkok barcelona basel beijing beirut belgrade bergen berlin bern bilbao birmingham
    bogotá bogota bologna bonn bordeaux boston brasilia bremen brisbane bristol brooklyn brussels
    bucharest budapest buenos_aires cairo calgary cambridge canberra cape_town caracas casablanca
    charlotte chengdu chennai chicago cleveland cologne columbus copenhagen córdoba dallas delhi
    denver detroit dhaka doha dortmund dresden dubai dublin düsseldorf edinburgh edmonton essen
    florence frankfurt freiburg geneva genoa ghent glasgow gothenburg graz granada guadalajara
    guangzhou hamburg hangzhou hanoi hanover havana heidelberg helsinki ho_chi_minh_city hong_kong
    honolulu houston hyderabad innsbruck istanbul jakarta jerusalem johannesburg karachi kathmandu
    kazan kiev kyiv kraków krakow kuala_lumpur kyoto lagos lahore las_vegas lausanne leeds leipzig
    lima linz lisbon liverpool ljubljana london los_angeles luxembourg lyon madrid málaga manchester
    manila marrakech marseille melbourne memphis mexico_city miami milan minneapolis minsk monaco
    montevideo montreal moscow mumbai munich münchen münster nairobi nanjing naples nashville
    new_delhi new_orleans new_york new_york_city nice novosibirsk nuremberg oakland oslo ottawa
    oxford palermo paris perth philadelphia phoenix pittsburgh portland porto prague quebec quito
    reykjavik riga rio_de_janeiro rome rotterdam sacramento saint_petersburg salzburg san_antonio
    san_diego san_francisco san_jose santiago são_paulo sapporo sarajevo seattle seoul seville
    shanghai shenzhen singapore sofia stockholm strasbourg stuttgart sydney taipei tallinn tampa
    tehran tel_aviv tokyo toronto toulouse turin utrecht valencia vancouver venice vienna wien
    vilnius warsaw warszawa washington wellington winterthur wuhan zagreb zurich zürich luzern
    sevilla genève köln nürnberg lisboa roma milano torino venezia napoli firenze praha wrocław
    nyc sf la москва москве петербург санкт-петербург казань новосибирск киев минск
    """.split()
)

REGIONS = frozenset(
    """
    afghanistan albania algeria argentina armenia australia austria azerbaijan bangladesh belarus
    belgium bolivia bosnia brazil bulgaria cambodia cameroon canada chile china colombia costa_rica
    croatia cuba cyprus czechia czech_republic denmark ecuador egypt england estonia ethiopia
    finland france georgia germany ghana greece guatemala hungary iceland india indonesia iran iraq
    ireland israel italy jamaica japan jordan kazakhstan kenya korea south_korea kuwait latvia
    lebanon liechtenstein lithuania madagascar malaysia malta mexico moldova mongolia montenegro
    morocco nepal netherlands new_zealand nicaragua nigeria north_macedonia norway oman pakistan
    panama paraguay peru philippines poland portugal qatar romania russia rwanda saudi_arabia
    scotland senegal serbia slovakia slovenia south_africa spain sri_lanka sudan sweden switzerland
    syria taiwan tanzania thailand tunisia turkey türkiye uganda ukraine uruguay usa us uk uae
    united_states united_kingdom uzbekistan venezuela vietnam wales zambia zimbabwe europe asia
    africa alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii
    idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan
    minnesota mississippi missouri montana nebraska nevada new_hampshire new_jersey new_mexico
    north_carolina north_dakota ohio oklahoma oregon pennsylvania rhode_island south_carolina
    south_dakota tennessee texas utah vermont virginia wisconsin wyoming al ak az ar ca co ct de fl
    ga hi id il ks ky md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok pa ri sc sd tn tx ut vt va
    wa wv wi wy dc ontario quebec bavaria bayern tuscany provence catalonia andalusia bali hokkaido
    """.split()
)

TECHNOLOGY = frozenset(
    """
    python java javascript typescript rust go golang ruby php perl kotlin swift scala haskell elixir
    erlang clojure c c++ c# .net r julia lua dart zig bash zsh fish powershell sql html css sass
    django flask fastapi rails laravel spring react vue angular svelte nextjs next.js nuxt node
    node.js deno bun express htmx tailwind bootstrap jquery webpack vite electron flutter unity
    unreal godot blender postgres postgresql mysql mariadb sqlite mongodb redis kafka rabbitmq
    elasticsearch clickhouse snowflake bigquery spark hadoop airflow dbt pandas numpy pytorch
    tensorflow keras jupyter docker kubernetes k8s podman terraform ansible helm jenkins github
    gitlab bitbucket git svn aws azure gcp heroku vercel netlify cloudflare nginx apache caddy linux
    ubuntu debian fedora arch archlinux nixos mint centos rhel manjaro opensuse gentoo windows macos
    ios android wsl vim neovim nvim emacs vscode code cursor zed intellij pycharm webstorm xcode
    eclipse sublime atom tmux kitty alacritty wezterm iterm gnome kde plasma i3 sway hyprland
    wayland obsidian notion todoist trello jira slack discord teams zoom figma photoshop illustrator
    lightroom excel word powerpoint outlook gmail thunderbird firefox chrome safari brave edge
    iphone ipad pixel macbook thinkpad imac kindle fitbit garmin raspberry arduino esp32 homeassistant
    proxmox truenas synology unraid plex jellyfin nextcloud graphql grpc rest prisma sqlalchemy
    celery dramatiq pytest mypy ruff poetry uv pip conda npm yarn pnpm maven gradle cmake bazel
    hetzner freebsd openbsd netbsd sveltekit silverblue kinoite bazzite nobara endeavouros popos raspbian
    openwrt pfsense opnsense mongo duckduckgo procreate krita inkscape gimp darktable davinci ableton
    reaper cubase garageband musescore sibelius dorico scrivener zotero mendeley anki logseq joplin
    evernote onenote airtable clickup asana wordpress squarespace wix woocommerce drupal joomla webflow
    framer gleam lisp prolog smalltalk vb.net apl agda pygame godot gamemaker roblox rpgmaker bevy
    liveview fastify nestjs koa hapi strapi supabase firebase pocketbase turso planetscale cockroachdb
    timescaledb influxdb grafana prometheus kibana logstash opensearch meilisearch pihole pi-hole
    adguard zigbee2mqtt zigbee mqtt esphome tasmota octoprint klipper prusaslicer fusion360 solidworks
    freecad openscad autocad sketchup rhino onshape kicad altium ltspice labview simulink ansys comsol
    stm32 rp2040 nodemcu steamdeck void slackware devuan quickbooks xero gnucash ynab salesforce hubspot
    zendesk mailchimp
    digitalocean linode ovh netbird tailscale wireguard puppet chef duckdb oracle mssql cassandra neo4j
    dynamodb redshift tableau powerbi looker stata spss matlab octave fortran cobol ada ocaml f# nim crystal
    vba solidity verilog latex tex markdown hugo jekyll gatsby astro remix solid qwik ember backbone symfony
    codeigniter ktor quarkus micronaut asp.net blazor maui xamarin ionic capacitor qt gtk opengl vulkan cuda
    jax xgboost scikit-learn sklearn polars dask ray mlflow openshift nomad consul vault prometheus grafana
    loki datadog sentry splunk newrelic kibana logstash fluentd argo argocd flux circleci travis drone
    teamcity bamboo sonarqube selenium cypress playwright puppeteer jest vitest mocha storybook vba
    popos pop!_os elementary kali slackware void alpine freebsd openbsd chromeos steamos lineageos
    grapheneos surface chromebook oneplus galaxy fairphone xperia nokia zotero mendeley anki logseq
    roam evernote onenote bear craft airtable asana basecamp clickup linear miro canva gimp inkscape
    krita affinity procreate resolve davinci premiere capcut audacity ableton reaper logic cubase fl
    bitwig ardour musescore sibelius finale scrivener freecad fusion360 fusion solidworks autocad
    sketchup rhino revit onshape kicad eagle octoprint cura prusaslicer klipper openai claude
    chatgpt ollama llama mistral langchain wordpress shopify stripe supabase firebase
    """.split()
)

NATIONALITIES = frozenset(
    """
    american argentinian australian austrian bangladeshi belgian brazilian british bulgarian canadian
    chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian ethiopian
    filipino finnish french georgian german ghanaian greek hungarian icelandic indian indonesian
    iranian iraqi irish israeli italian jamaican japanese jordanian kenyan korean latvian lebanese
    lithuanian malaysian mexican moroccan nepalese nigerian norwegian pakistani peruvian polish
    portuguese romanian russian scottish serbian singaporean slovak slovenian spanish swedish swiss
    asian african european caribbean mongolian syrian taiwanese thai tunisian turkish ukrainian venezuelan
    vietnamese welsh
    """.split()
)

EVENTS = frozenset(
    """
    flight appointment meeting wedding birthday exam interview deadline conference dentist surgery
    trip concert party anniversary marathon race presentation ceremony vacation holiday train
    checkup check-up doctor class course workshop game match recital graduation funeral move
    operation festival hackathon thesis defense defence launch release demo call lesson tournament
    chemo radiotherapy therapy session rehearsal gig ultrasound talk moving_day thanksgiving stag_do hen_do
    bachelor_party bachelorette housewarming baby_shower shower parents_evening evening book_club quiz
    court_date hearing driving_test blood_test biopsy x-ray due_date payday premiere opening kickoff standup
    retro farewell barbecue bbq picnic potluck sleepover playdate excursion ferry jab booster physio
    orthodontist optician gala prom regatta ironman 10k 5k half-marathon half_marathon onboarding
    orientation handover pitch viva christening baptism bar_mitzvah bat_mitzvah christmas eid diwali
    hanukkah first_day last_day start_date vet checkup consultation screening training semester term
    lease passport visa contract membership subscription warranty probation rent bootcamp sabbatical
    shift open_mic open_day anniversary_dinner hospital_appointment mot housing_inspection
    surgery_date playoffs finals final derby reunion viewing inspection delivery audition
    performance lecture seminar webinar hike dinner
    closing colonoscopy mammogram endoscopy cataract_op hysterectomy transplant knee_op hip_op surgery_slot
    gym_class tasting recording exhibition open_studio showcase regional regionals nationals state_final
    matriculation bar_exam citizenship_test citizenship_ceremony ultrasound_scan swearing-in inauguration
    scan_appointment review root_canal job_fair house_viewing parents'_evening ofsted sports_day school_play
    hen_night leaving_do stag_night baby_scan eye_test
    lunch brunch test scan mri vaccination haircut retreat cruise parade competition triathlon camp
    """.split()
)

MONTHS_AND_DAYS = frozenset(
    """
    january february march april may june july august september october november december jan feb
    mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
    mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag januar
    februar märz mai juni juli oktober dezember
    """.split()
)
